import type { mcpOperations } from '@pennypost/contract/mcp'
import type { Room } from '../platform/room.ts'
import { serveMcp } from './serve-mcp.ts'
import type { McpServices } from './services.ts'

export const mcpRoom: Room<typeof mcpOperations, McpServices> = {
  handlers: { serveMcp },
  jobs: [],
}
