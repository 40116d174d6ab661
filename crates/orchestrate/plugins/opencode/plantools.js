// Plans with proof: the tools of `orchestrate mcp`, and the hook before a tool. Only plan_done ticks.
import { spawnSync } from "node:child_process"

export const Plantools = async ({ directory }) => ({
  config: async (config) => {
    const server = { type: "local", command: ["orchestrate", "mcp"], enabled: true, timeout: 3600000 }
    config.mcp = { plantools: server, ...config.mcp }
  },
  "tool.execute.before": async ({ tool }, { args }) => {
    const event = { hook_event_name: "PreToolUse", cwd: directory, tool_name: tool, tool_input: args }
    const ran = spawnSync("punch", ["--hook"], { cwd: directory, input: JSON.stringify(event), encoding: "utf8" })
    if (ran.status === 2) throw new Error(ran.stderr)
  },
})
