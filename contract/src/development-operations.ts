import {
  makeAdmin,
  mintTestUsdc,
  moveClock,
  readBaseChain,
  readCapturedMail,
  readClock,
  readNanoLedger,
  sendFromNanoFaucet,
  setRates,
} from './development-tools.ts'

/** What a development service offers besides: captured mail, a movable clock, test money. */
export const developmentOperations = {
  readCapturedMail,
  readClock,
  moveClock,
  setRates,
  mintTestUsdc,
  readBaseChain,
  readNanoLedger,
  sendFromNanoFaucet,
  makeAdmin,
}
