import { earnings } from './account/earnings.ts'
import { keysIssue, keysList, keysRevoke, keysRotate } from './account/keys.ts'
import { login, logout, whoami } from './account/login.ts'
import { profileSet } from './account/profile-set.ts'
import type { CommandTable } from './frame/command.ts'
import { completion, help } from './help-command.ts'
import { mcp } from './mcp-command.ts'
import { exportAccount } from './moving/export.ts'
import { importPosts } from './moving/import.ts'
import { operatorTable } from './operate/commands.ts'
import { buy } from './paying/buy.ts'
import { tip } from './paying/tip.ts'
import { postList } from './posts/list.ts'
import { postNew } from './posts/new.ts'
import { postPublish, postUnpublish } from './posts/publish.ts'
import { postPull } from './posts/pull.ts'
import { postPush } from './posts/push.ts'
import { library } from './reading/library.ts'
import { read } from './reading/read.ts'
import { search } from './reading/search.ts'

/** Every command, in the order of help. A new one is added here; help, completion and docs/cli.md follow. */
export const commandTable: CommandTable = {
  commands: [
    // Your account
    login,
    logout,
    whoami,
    profileSet,
    // Writers
    postNew,
    postPush,
    postPublish,
    postPull,
    postList,
    postUnpublish,
    earnings,
    // Readers
    search,
    read,
    buy,
    tip,
    library,
    // Keys, and moving
    keysList,
    keysIssue,
    keysRotate,
    keysRevoke,
    importPosts,
    exportAccount,
    // Agents
    mcp,
    // Operators
    ...operatorTable.commands,
    // The program itself
    completion,
    help,
  ],
  groups: {
    post: 'Your posts',
    keys: 'Your publishing keys',
    profile: 'Your public profile',
    ...operatorTable.groups,
  },
}
