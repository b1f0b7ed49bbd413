import type { accessOperations } from '@pennypost/contract/access-operations'
import type { Room } from '../platform/room.ts'
import { claimCheckout } from './checkout/claim-checkout.ts'
import { createCheckout } from './checkout/create-checkout.ts'
import { createTipCheckout } from './checkout/create-tip-checkout.ts'
import { deleteGuestCheckouts } from './checkout/delete-guest-checkouts.job.ts'
import { getCheckout } from './checkout/get-checkout.ts'
import { recoverCheckout } from './checkout/recover-checkout.ts'
import { settleCheckout } from './checkout/settle-checkout.ts'
import { getAccess } from './get-access.ts'
import { getAsset } from './get-asset.ts'
import { getDidDocument } from './get-did-document.ts'
import { createGiftLink, disableGiftLink, getGiftLink, listGiftLinks } from './gift-links.ts'
import { listLibrary } from './list-library.ts'
import { createPrivateFeed, getPrivateFeed, revokePrivateFeed } from './private-feed/private-feeds.ts'
import type { AccessServices } from './services.ts'
import { deleteNonces } from './siwx/delete-nonces.job.ts'
import { tipCommentThroughX402, tipThroughX402 } from './tip-through-x402.ts'

export const accessRoom: Room<typeof accessOperations, AccessServices> = {
  handlers: {
    getAccess,
    getAsset,
    getDidDocument,
    tipThroughX402,
    tipCommentThroughX402,
    createCheckout,
    createTipCheckout,
    settleCheckout,
    getCheckout,
    recoverCheckout,
    claimCheckout,
    listLibrary,
    getGiftLink,
    createGiftLink,
    disableGiftLink,
    listGiftLinks,
    getPrivateFeed,
    createPrivateFeed,
    revokePrivateFeed,
  },
  jobs: [deleteNonces, deleteGuestCheckouts],
}
