type Fault = () => void

let armed: ((name: string, fault: Fault) => void) | undefined

const killProcess: Fault = () => {
  process.kill(process.pid, 'SIGKILL')
}

/**
 * Marks a place where a crash would do the most damage. Does nothing unless a test has armed it or `FAULT_POINT` names
 * it; then it kills the process, or causes the given fault, as if the power had failed between two steps.
 * @example faultPoint('block-stored')
 */
export function faultPoint(name: string, fault: Fault = killProcess): void {
  armed?.(name, fault)
}

/** For tests: `act` decides what happens at every fault point of this process from now on. */
export function armFaultPoints(act: typeof armed): void {
  armed = act
}

/** For tests that start a process: triggers one fault, the first time the process reaches this place. */
export function armFaultPoint(place: string): void {
  armFaultPoints((name, fault) => {
    if (name !== place) return
    armed = undefined
    console.error(`fault point: ${name}`)
    fault()
  })
}
