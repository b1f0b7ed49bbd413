import type { developmentOperations } from '@pennypost/contract/development-operations'
import type { Room } from '../platform/room.ts'
import { readCapturedMail } from './captured-mail.ts'
import { makeAdmin } from './make-admin.ts'
import { mintTestUsdc } from './mint-test-usdc.ts'
import { moveClock, readClock } from './move-clock.ts'
import { readBaseChain } from './read-base-chain.ts'
import { readNanoLedger } from './read-nano-ledger.ts'
import { sendFromNanoFaucet } from './send-from-nano-faucet.ts'
import type { DevelopmentServices } from './services.ts'
import { setRates } from './set-rates.ts'

export const developmentRoom: Room<typeof developmentOperations, DevelopmentServices> = {
  handlers: {
    readCapturedMail,
    readClock,
    moveClock,
    setRates,
    mintTestUsdc,
    readBaseChain,
    readNanoLedger,
    sendFromNanoFaucet,
    makeAdmin,
  },
  jobs: [],
}
