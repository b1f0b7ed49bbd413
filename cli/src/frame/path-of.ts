import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Shell } from './command.ts'

/**
 * The path that a person means. In the settings of an agent no shell puts the home folder in place of `~`, so it is done
 * here.
 */
export function pathOf({ cwd, env }: Pick<Shell, 'cwd' | 'env'>, given: string): string {
  if (given === '~' || given.startsWith('~/')) return join(env.HOME || homedir(), given.slice(1))
  return resolve(cwd, given)
}
