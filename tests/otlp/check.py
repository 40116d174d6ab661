#!/usr/bin/env python3
"""check.py < TRACES: reads OTLP-JSON with the types of the protocol, and refuses a field that they do not have.

Needs the package `opentelemetry-proto`. In the JSON of the protocol ids are hexadecimal, where that of protobuf has base64.
"""
import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

document = json.load(sys.stdin)
count = 0
for resource in document["resourceSpans"]:
    for scope in resource["scopeSpans"]:
        for span in scope["spans"]:
            for name in ("traceId", "spanId", "parentSpanId"):
                if name in span:
                    span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
            count += 1
request = json_format.ParseDict(document, ExportTraceServiceRequest())
read = [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]
assert len(read) == count and all(len(span.trace_id) == 16 and len(span.span_id) == 8 for span in read)
print(f"{count} spans")
