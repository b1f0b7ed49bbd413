import { type ChildProcess, spawn } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { faultPoint } from '../../platform/fault-point.ts'
import { limitWork, MachineBusy, processorTimeMs, type WorkLimits } from '../../platform/work-limit.ts'
import type { DecoderReply, DecoderTask, Lane } from './decoder-messages.ts'
import type { DecoderVerdict, Failed } from './verdict.ts'

interface TaskLimits {
  readonly lane: Lane
  readonly time: WorkLimits
  readonly signal: AbortSignal
}

/** A decoder process as seen from the parent process. */
export interface DecoderProcess {
  /**
   * Runs a task. When it takes too long or the caller aborts, the process must not be used again. Rejects with MachineBusy
   * if it took too long by the clock alone.
   */
  run(task: DecoderTask, terms: TaskLimits): Promise<DecoderVerdict>
  /** False if the process must not be given another task. */
  isReusable(): boolean
  end(): Promise<void>
}

/** A process that used this much memory or ran this many tasks is replaced, which returns its memory to the system. */
const maxKeptBytes = 400 * 1024 * 1024
const maxTasks = 200
const startLimits: WorkLimits = { processorMs: 30_000, clockMs: 150_000 }
const lowestPriority = 19

type Exit = 'killed' | 'exited'

/** No decoder process could be started. This says nothing about the file. */
export class DecoderUnavailable extends Error {}

export function startDecoderProcess(memoryBytes: number): DecoderProcess {
  const child = spawnLimited(memoryBytes)
  const ended = new Promise<Exit>((resolve) => {
    child.once('exit', (_, signal) => resolve(signal === 'SIGKILL' ? 'killed' : 'exited'))
    child.once('error', () => resolve('exited'))
  })
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()))
  // An idle decoder must not keep our process alive; while one is working, the timer of its task does.
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
    async run(task, taskLimits) {
      // Set to true again only after a reply, so that a process that failed in between is not reused.
      isFit = false
      await waitUntilReady(child, ready, ended, taskLimits.signal)
      faultPoint('decoder-ready', kill)
      const outcome = await awaitReply(child, ended, task, taskLimits)
      faultPoint('decoder-answered', kill)
      if (typeof outcome === 'string') return { kind: 'failed', reason: outcome }
      if (outcome.is === 'bug') throw new Error(`The decoder failed: ${outcome.stack}`)
      isFit = ++tasks < maxTasks && outcome.peakBytes <= maxKeptBytes && outcome.verdict.kind !== 'failed'
      return outcome.verdict
    },
  }
}

/**
 * Waits for the process to start. This does not count towards the task's time limit: on a busy machine it can take
 * seconds. If the process cannot start, the installation is at fault and not the file, which is screened again later.
 */
async function waitUntilReady(
  child: ChildProcess,
  ready: Promise<void>,
  ended: Promise<Exit>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const limit = limitProcess(child, startLimits)
  const finished = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: finished.signal })
  })
  const first = await Promise.race([ready, ended, limit.reached, aborted]).finally(() => {
    limit.clear()
    finished.abort()
  })
  if (first !== undefined && first !== 'killed') throw new DecoderUnavailable('The decoder process does not start.')
}

const limitProcess = ({ pid }: ChildProcess, limits: WorkLimits) =>
  limitWork(limits, () => (pid === undefined ? undefined : processorTimeMs({ pid })))

type Outcome = Extract<DecoderReply, { is: 'verdict' | 'bug' }> | Failed['reason']

/** Returns the reply, or the reason why there is none. The first of reply, time limit, exit and abort decides. */
async function awaitReply(
  child: ChildProcess,
  ended: Promise<Exit>,
  task: DecoderTask,
  { lane, time, signal }: TaskLimits,
): Promise<Outcome> {
  const kill = () => void child.kill('SIGKILL')
  const finished = new AbortController()
  const limit = limitProcess(child, time)
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      const onReply = (reply: DecoderReply) => {
        if (reply.is !== 'ready') resolve(reply)
      }
      child.on('message', onReply)
      finished.signal.addEventListener('abort', () => child.off('message', onReply))
      signal.addEventListener('abort', () => reject(signal.reason), { signal: finished.signal })
      signal.throwIfAborted()
      void ended.then((exit) => resolve(exit === 'killed' ? 'interrupted' : 'crashed'))
      void limit.reached.then((reason) =>
        reason === 'limit' ? resolve('time-limit') : reject(new MachineBusy('The decoder hardly got a processor.')),
      )
      child.send({ task, lane }, (error) => error && resolve('interrupted'))
      faultPoint('decoder-asked', kill)
    })
  } finally {
    finished.abort()
    limit.clear()
  }
}

const program = fileURLToPath(new URL('./decoder-main.js', import.meta.url))

/**
 * Starts the decoder through a shell that sets its limits: data size (which includes the memory of native libraries,
 * while address space would also count what Node only reserves), no core dumps, few open files, an empty environment.
 */
function spawnLimited(memoryBytes: number): ChildProcess {
  const limits = `ulimit -d ${Math.floor(memoryBytes / 1024)}; ulimit -c 0; ulimit -n 64; exec "$@"`
  const command = [process.execPath, '--max-old-space-size=256', program, String(memoryBytes)]
  const child = spawn('/bin/sh', ['-c', limits, 'decoder', ...command], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { MALLOC_ARENA_MAX: '2' },
    serialization: 'json',
  })
  lowerPriority(child.pid)
  return child
}

/** Decoding can use every core for minutes. It gets the processor time that replying to requests leaves. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, Math.min(lowestPriority, getPriority() + 19))
  } catch {
    // It has already exited, or the system does not allow it: decoding works anyway.
  }
}
