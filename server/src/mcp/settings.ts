import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { list, origin } from '../platform/setting-values.ts'

export const mcpSettings = settingGroup(
  {
    MCP_ORIGINS: setting(list(origin), {
      unset: 'none but our own',
      help: 'origins whose pages may use `/mcp`, such as that of an agent that runs in a browser. Programs send no `Origin` and need nothing',
    }),
  },
  (values) => ({ mcpOrigins: values.MCP_ORIGINS ?? [] }),
)

export type McpConfig = ConfigOf<typeof mcpSettings>
