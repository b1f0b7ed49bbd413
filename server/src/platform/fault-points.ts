/**
 * Named moments at which a test wants the process to die, as if somebody had pulled the plug between two steps. Nothing
 * happens at any of them unless `FAULT_POINT` names it, which production refuses.
 */
let armed: string | undefined

/** The process dies, or what the point says happens, the first time the point is reached. */
export function armFaultPoint(name: string): void {
  armed = name
}

const dieAtOnce = (): void => {
  process.kill(process.pid, 'SIGKILL')
}

export function faultPoint(name: string, happens: () => void = dieAtOnce): void {
  if (armed !== name) return
  armed = undefined
  console.error(`fault point: ${name}`)
  happens()
}
