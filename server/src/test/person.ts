import { type RawReply, send } from '@pennypost/contract/client'
import type { ClientInput, Endpoint } from '@pennypost/contract/endpoint'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../services.ts'
import { injectFetch } from './inject-fetch.ts'

/** The service that people call. */
export interface Host {
  readonly server: FastifyInstance
  readonly services: Services
  readonly origin: string
  /** Runs due jobs until none is left, one at a time or `concurrency` at a time. */
  runJobs(concurrency?: number): Promise<void>
}

/** A person who calls the service. */
export class Person {
  readonly world: Host
  readonly address: string
  token: string | undefined

  constructor(world: Host, address: string, token?: string) {
    this.world = world
    this.address = address
    this.token = token
  }

  /** Calls an operation with typed input. Returns the response, even if it is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the body; it was already checked against its schema
  async calls<E extends Endpoint>(endpoint: E, input: ClientInput<E>): Promise<RawReply & { readonly body: any }> {
    return this.sends(endpoint, input as Record<string, unknown>)
  }

  /** Calls an operation with any input, including input that the types do not allow. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async sends(endpoint: Endpoint, input: Record<string, unknown>): Promise<RawReply & { readonly body: any }> {
    return send(endpoint, input, {
      baseUrl: this.world.origin,
      fetch: injectFetch(this.world.server, this.address),
      ...(this.token !== undefined && { token: this.token }),
    })
  }
}

let strangers = 0

/** An IP address that no other person has. */
export const nextAddress = (): string => {
  strangers += 1
  return `10.${(strangers >> 16) & 255}.${(strangers >> 8) & 255}.${strangers & 255}`
}
