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

/** Operations of a development service only: captured mail, a movable clock, test money. */
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
