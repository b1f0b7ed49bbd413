import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { faultPoint } from '../../platform/fault-point.ts'
import type { Turns } from '../../platform/turns.ts'
import { type DecoderReply, type DecoderTask, go } from './decoder-messages.ts'
import type { Failed, ImageVerdict, ZipVerdict } from './verdict.ts'

interface TaskLimits {
  readonly timeMs: number
  readonly large: Turns
  readonly signal: AbortSignal
}

/** One process that decodes, seen from ours. */
export interface DecoderProcess {
  /** Asks, and kills the process when its time is up or the caller gives up. */
  ask(task: DecoderTask, terms: TaskLimits): Promise<ImageVerdict | ZipVerdict>
  /** Whether it may be given another task. */
  isReusable(): boolean
  end(): Promise<void>
}

/** A process is replaced when it has been this large or done this much: what it gathered is given back. */
const largestKept = 400 * 1024 * 1024
const mostTasks = 200
const startMs = 30_000

type End = 'killed' | 'by itself'

/** No fault of the file. */
export class DecoderUnavailable extends Error {}

export function startDecoderProcess(memoryBytes: number): DecoderProcess {
  const child = spawnLimited(memoryBytes)
  const ended = new Promise<End>((resolve) => {
    child.once('exit', (_, signal) => resolve(signal === 'SIGKILL' ? 'killed' : 'by itself'))
    child.once('error', () => resolve('by itself'))
  })
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()))
  // An idle decoder does not keep us alive; one at work is held by the timer of its task.
  child.unref()
  child.channel?.unref()
  const kill = () => void child.kill('SIGKILL')
  faultPoint('decoder-started', kill)
  let tasks = 0
  let isFit = true

  return {
    isReusable: () => isFit && child.connected,
    async end() {
      isFit = false
      child.ref()
      child.kill('SIGKILL')
      await ended
    },
    async ask(task, terms) {
      // Until it has answered: whoever fails in between leaves a process that nobody uses again.
      isFit = false
      await waitUntilReady(ready, ended)
      faultPoint('decoder-ready', kill)
      const outcome = await awaitReply(child, ended, task, terms)
      faultPoint('decoder-answered', kill)
      if (typeof outcome === 'string') return { kind: 'failed', reason: outcome }
      if (outcome.is === 'bug') throw new Error(`The decoder failed: ${outcome.stack}`)
      isFit = ++tasks < mostTasks && outcome.peakBytes <= largestKept && outcome.verdict.kind !== 'failed'
      return outcome.verdict
    },
  }
}

/**
 * Its time counts from here: a busy machine may take seconds to start a process. One that cannot start is a fault of the
 * installation and not of the file, which is to be screened when that is mended.
 */
async function waitUntilReady(ready: Promise<void>, ended: Promise<End>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<End>((resolve) => {
    timer = setTimeout(resolve, startMs, 'by itself')
  })
  const end = await Promise.race([ready, ended, tooLate]).finally(() => clearTimeout(timer))
  if (end === 'by itself') throw new DecoderUnavailable('The decoder does not start.')
}

type Outcome = Extract<DecoderReply, { is: 'verdict' | 'bug' }> | Failed['reason']

/** The answer, or why there is none: whichever of answer, time limit, death and abort is first. */
async function awaitReply(
  child: ChildProcess,
  ended: Promise<End>,
  task: DecoderTask,
  { timeMs, large, signal }: TaskLimits,
): Promise<Outcome> {
  const kill = () => void child.kill('SIGKILL')
  const isOver = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let leave: (() => void) | undefined
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      const startTimer = () => {
        timer = setTimeout(resolve, timeMs, 'time-limit')
      }
      const takeTurn = async () => {
        clearTimeout(timer)
        faultPoint('decoder-waits', kill)
        const giveBack = await large.take(isOver.signal)
        // The turn may come when all is over already.
        if (isOver.signal.aborted) return giveBack()
        leave = giveBack
        startTimer()
        child.send(go)
        faultPoint('decoder-goes-on', kill)
      }
      const onAnswer = (answer: DecoderReply) => {
        if (answer.is === 'large') takeTurn().catch(reject)
        else if (answer.is !== 'ready') resolve(answer)
      }
      child.on('message', onAnswer)
      isOver.signal.addEventListener('abort', () => child.off('message', onAnswer))
      signal.addEventListener('abort', () => reject(signal.reason), { signal: isOver.signal })
      signal.throwIfAborted()
      void ended.then((end) => resolve(end === 'killed' ? 'interrupted' : 'crashed'))
      startTimer()
      child.send(task, (error) => error && resolve('interrupted'))
      faultPoint('decoder-asked', kill)
    })
  } finally {
    isOver.abort()
    clearTimeout(timer)
    leave?.()
  }
}

const program = fileURLToPath(new URL('./decoder-main.js', import.meta.url))

/**
 * The shell sets the limits and becomes the decoder: data (which counts memory of libraries too; address space would
 * also count what Node only reserves), no core dumps, few files. Nothing of our environment is passed on.
 */
function spawnLimited(memoryBytes: number): ChildProcess {
  const limits = `ulimit -d ${Math.floor(memoryBytes / 1024)}; ulimit -c 0; ulimit -n 64; exec "$@"`
  const command = [process.execPath, '--max-old-space-size=256', program]
  return spawn('/bin/sh', ['-c', limits, 'decoder', ...command], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { MALLOC_ARENA_MAX: '2' },
    serialization: 'json',
  })
}
