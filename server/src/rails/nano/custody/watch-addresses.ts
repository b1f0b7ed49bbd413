import type { RailServices } from '../../services.ts'
import { type AddressWatcher, createAddressWatcher } from '../node/address-watcher.ts'
import { addressChannel, createAddressBook } from './address-book.ts'
import { noteArrivals } from './note-arrivals.ts'
import { createPreparer } from './prepare-addresses.ts'

/** Watches all our addresses for money, and prepares their first blocks. Several processes may do this together. */
export function watchAddresses(services: RailServices): AddressWatcher {
  const { db, clock, log, nano, listener } = services
  const preparer = createPreparer(services)
  const watcher = createAddressWatcher({
    clock,
    log,
    client: nano.client,
    confirmations: nano.confirmations,
    book: createAddressBook(db, preparer),
    onPayment: (address, found) => noteArrivals(services, address, found),
  })
  const stopListening = listener.on(addressChannel, (address) => {
    if (address === undefined) watcher.watchNewestAgain()
    else nano.confirmations.watch(address)
  })
  return {
    ...watcher,
    async stop() {
      stopListening()
      await watcher.stop()
      await preparer.stop()
    },
  }
}
