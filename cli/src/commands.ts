import { keysIssue, keysList, keysRevoke, keysRotate } from './account/keys.ts'
import { login, logout, whoami } from './account/login.ts'
import type { CommandTable } from './frame/command.ts'
import { completion, help } from './help-command.ts'
import { operatorTable } from './operate/commands.ts'
import { postList } from './posts/list.ts'

/** Every command, in the order of help. A new one is added here; help, completion and docs/cli.md follow. */
export const commandTable: CommandTable = {
  commands: [
    login,
    logout,
    whoami,
    postList,
    keysList,
    keysIssue,
    keysRotate,
    keysRevoke,
    ...operatorTable.commands,
    completion,
    help,
  ],
  groups: {
    post: 'Your posts',
    keys: 'Your publishing keys',
    ...operatorTable.groups,
  },
}
