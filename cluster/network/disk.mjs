// Disks that can be full: small file systems in memory, for the folders of single programs.
import { spawnSync } from 'node:child_process'
import { statfsSync } from 'node:fs'

const attempt = (program, ...args) => spawnSync(program, args, { encoding: 'utf8' })

const run = (program, ...args) => {
  const { status, stderr } = attempt(program, ...args)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

const isInside = 'PENNYPOST_PRIVATE_MOUNTS'

/**
 * Whether this process may mount file systems that only it and its children see, so that none is left behind when they end.
 * The command that starts it so is `insideNamespace`.
 */
export const canMount = () => process.env[isInside] === '1'

/** A command that runs in a new mount namespace. Undefined if that is not allowed here. */
export function insideNamespace(command) {
  const unshare = ['unshare', '--mount', '--propagation', 'private', '--']
  const isAllowed = spawnSync(unshare[0], [...unshare.slice(1), 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
  return isAllowed ? { command: [...unshare, ...command], env: { [isInside]: '1' } } : undefined
}

/** Takes all remaining space. False if it was used meanwhile. */
const isShrunk = (path) => {
  const { blocks, bfree, bsize } = statfsSync(path)
  const size = Math.ceil(((blocks - bfree) * bsize) / 1024)
  return attempt('mount', '-o', `remount,size=${size}k`, path).status === 0
}

const mounted = []

/** Before their folders are deleted. */
export const unmountAll = () => {
  for (const path of mounted.splice(0)) run('umount', '--lazy', path)
}

/** Mounts an empty disk of this size. Undefined if that is not allowed here: then it is a folder. */
export function createDisk(path, megabytes) {
  if (!canMount()) return undefined
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', path)
  mounted.push(path)
  return {
    /** From now on there is no room for a single byte more. */
    fill() {
      // What is written in between makes the new size too small.
      for (let tries = 0; !isShrunk(path); tries += 1) if (tries > 100) throw new Error(`${path} cannot be filled`)
    },
    makeRoom: () => run('mount', '-o', `remount,size=${megabytes}m`, path),
  }
}
