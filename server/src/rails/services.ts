import type { PlatformServices } from '../platform/services.ts'
import type { BaseRail } from './base/base.ts'
import type { BaseConfig } from './base/settings.ts'
import type { AddressRun } from './nano/custody/addresses.ts'
import type { OwnAddresses } from './nano/custody/keyring.ts'
import type { NanoRail } from './nano/nano.ts'
import type { NanoConfig } from './nano/settings.ts'
import type { RateSource } from './rates.ts'
import type { RateConfig } from './settings.ts'
import type { SignerConfig } from './signer/settings.ts'
import type { BlockSigner } from './signer/signer.ts'

/** The services that handlers and jobs of this room get. */
export interface RailServices extends PlatformServices {
  readonly config: PlatformServices['config'] & RateConfig & NanoConfig & BaseConfig & SignerConfig
  readonly rates: RateSource
  readonly nano: NanoRail
  /** Undefined if this service does not take USDC. */
  readonly base: BaseRail | undefined
  readonly addresses: OwnAddresses
  readonly signer: BlockSigner
  readonly addressRun: AddressRun
}
