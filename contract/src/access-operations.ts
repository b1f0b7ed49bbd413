import { getAccess, getAsset, getDidDocument } from './access.ts'
import {
  claimCheckout,
  createCheckout,
  createTipCheckout,
  getCheckout,
  recoverCheckout,
  settleCheckout,
} from './checkout.ts'
import { createGiftLink, disableGiftLink, getGiftLink, listGiftLinks } from './gift-links.ts'
import { listLibrary } from './library.ts'
import { createPrivateFeed, getPrivateFeed, revokePrivateFeed } from './private-feed.ts'
import { tipCommentThroughX402, tipThroughX402 } from './x402-tips.ts'

/** Reading what was paid for: access, attachment bytes, x402, checkout, gift links, the library and private feeds. */
export const accessOperations = {
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
}
