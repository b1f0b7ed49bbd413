type Happens = () => void

let armed: ((name: string, happens: Happens) => void) | undefined

const dieAtOnce: Happens = () => {
  process.kill(process.pid, 'SIGKILL')
}

/**
 * A place where a crash would hurt most. Does nothing, unless a test said what happens there, or `FAULT_POINT` names it:
 * then the process dies, or what the place says happens, as if somebody had pulled the plug between two steps.
 * @example faultPoint('block-stored')
 */
export function faultPoint(name: string, happens: Happens = dieAtOnce): void {
  armed?.(name, happens)
}

/** For tests: what happens at every fault point of this process from now on. */
export function armFaultPoints(act: typeof armed): void {
  armed = act
}

/** For tests that start a process: it meets one fault, the first time it comes to a place. */
export function armFaultPoint(place: string): void {
  armFaultPoints((name, happens) => {
    if (name !== place) return
    armed = undefined
    console.error(`fault point: ${name}`)
    happens()
  })
}
