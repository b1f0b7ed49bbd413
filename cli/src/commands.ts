import { login, logout, whoami } from './account/login.ts'
import type { CommandTable } from './frame/command.ts'
import { completion, help } from './help-command.ts'

/** Every command, in the order of help. A new one is added here; help, completion and docs/cli.md follow. */
export const commandTable: CommandTable = {
  commands: [login, logout, whoami, completion, help],
  groups: {},
}
