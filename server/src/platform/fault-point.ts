let armed: ((name: string) => void) | undefined

/**
 * A place where a crash would hurt most. Does nothing, unless a test of its own process said what happens there.
 * @example faultPoint('block-stored')
 */
export function faultPoint(name: string): void {
  armed?.(name)
}

/** For tests: what happens at every fault point of this process from now on. */
export function armFaultPoints(act: ((name: string) => void) | undefined): void {
  armed = act
}
