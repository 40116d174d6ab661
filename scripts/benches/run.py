"""Measures our tools beside their peers, alternately in one run, and prints ratios.

usage: scripts/bench [NAME...] [--quick] [--json FILE] [--plot FOLDER] [--list] [--check]
       scripts/bench --readme FILE

NAME is a file of scripts/benches; all of them where none is given. A ratio is taken in each round (ours, then the
peer) and the median with its p10-p90 band is shown: absolute times differ from machine to machine, ratios do not.
--quick takes fewer rounds and smaller work, --json writes bench/1, --plot draws the growth curves as SVG, and --check
exits with 1 when a row misses its target. --readme writes the tables of README.md and of
scripts/benches/README.md from a bench/1 document. PLANTOOLS_BIN is the folder of the tools, else scripts/dist builds them.
"""
import argparse
import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))
from benches import measure, readme  # noqa: E402  (the folder is known only here)


def suites():
    return {path.stem.replace("_", "-"): path for path in sorted((HERE / "benches").glob("*.py"))
            if path.stem not in ("run", "measure", "plot", "readme", "__init__")}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    known = suites()
    parser = argparse.ArgumentParser(prog="bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--plot", metavar="FOLDER")
    parser.add_argument("--readme", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.readme:
        readme.write(HERE.parent / "README.md", pathlib.Path(args.readme))
        return 0
    if args.list:
        for name, path in known.items():
            print(f"{name:16} {load(path).__doc__.splitlines()[0]}")
        return 0
    unknown = [name for name in args.names if name not in known]
    if unknown:
        print(f"bench: no such name: {', '.join(unknown)} (there are: {', '.join(known)})", file=sys.stderr)
        return 2
    bench = measure.Bench(HERE.parent, quick=args.quick)
    for name in args.names or known:
        bench.run(name, load(known[name]).rows)
    bench.close(json_path=args.json, plot=args.plot)
    return 1 if args.check and bench.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
