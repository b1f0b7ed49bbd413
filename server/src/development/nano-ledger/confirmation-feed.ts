import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { receiverOf } from '@pennypost/nano/block'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '../../platform/clock.ts'
import type { LedgerBlock } from './ledger.ts'
import { contentsOf } from './rpc-actions.ts'
import { flagOf, textOf } from './rpc-request.ts'

interface Subscription {
  /** Undefined means all accounts. */
  accounts: Set<string> | undefined
  includesBlock: boolean
}

type Message = Readonly<Record<string, unknown>>

/** A node's confirmation websocket: subscribe, update, unsubscribe, ping, and an event for each confirmed block. */
export function createConfirmationFeed(clock: Clock) {
  const subscriptions = new Map<WebSocket, Subscription>()
  const time = () => String(clock.now().getTime())

  function handle(socket: WebSocket, message: Message): void {
    const action = textOf(message, 'action')
    if (action === 'ping') acknowledge(socket, 'pong', message)
    if (textOf(message, 'topic') !== 'confirmation') return
    const options = (message.options ?? {}) as Message
    if (action === 'subscribe') {
      const accounts = options.accounts === undefined ? undefined : new Set(addresses(options.accounts))
      subscriptions.set(socket, { accounts, includesBlock: flagOf(options, 'include_block', true) })
    } else if (action === 'unsubscribe') {
      subscriptions.delete(socket)
    } else if (action === 'update') {
      const accounts = subscriptions.get(socket)?.accounts
      for (const address of addresses(options.accounts_add)) accounts?.add(address)
      for (const address of addresses(options.accounts_del)) accounts?.delete(address)
    } else return
    if (flagOf(message, 'ack')) acknowledge(socket, action, message)
  }

  const acknowledge = (socket: WebSocket, ack: string, { id }: Message) =>
    socket.send(JSON.stringify({ ack, time: time(), ...(id !== undefined && { id: String(id) }) }))

  return {
    connect(socket: WebSocket): void {
      socket.on('message', (data) => {
        const message = parseMessage(data)
        // A node drops the connection, without a closing handshake, when it cannot read a message.
        if (message) handle(socket, message)
        else socket.terminate()
      })
      socket.on('error', () => socket.terminate())
      socket.on('close', () => subscriptions.delete(socket))
    },
    /** Sends the block to every subscriber of its account or of the account that it pays. */
    announce(block: LedgerBlock): void {
      const { contents } = block
      const touched = [block.account, ...(contents.type === 'state' ? [receiverOf(contents)] : [])]
      const message = {
        account: block.account,
        amount: String(block.amount),
        hash: block.hash,
        confirmation_type: 'active_quorum',
      }
      for (const [socket, { accounts, includesBlock }] of subscriptions) {
        if (accounts && !touched.some((address) => accounts.has(address))) continue
        const details = includesBlock ? { block: { ...contentsOf(block), subtype: block.subtype } } : {}
        socket.send(JSON.stringify({ topic: 'confirmation', time: time(), message: { ...message, ...details } }))
      }
    },
  }
}

function parseMessage(data: RawData): Message | undefined {
  try {
    const message = JSON.parse(String(data))
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

const addresses = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).flatMap((text) => {
    const key = parseNanoAddress(String(text))
    return key ? [nanoAddress(key)] : []
  })
