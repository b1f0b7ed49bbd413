import { moves } from '../platform/state-machine.ts'

export type UploadState = 'receiving' | 'queued' | 'checking' | 'cleared' | 'rejected' | 'failed' | 'cancelled'

/** Nothing is cleared but from a check, and no check begins before the bytes are safe. */
export const uploadMoves = moves<UploadState>()({
  receive: { from: ['receiving'], to: 'queued' },
  // Again from `checking`: whoever checked before died over it, or a screener was away.
  check: { from: ['queued', 'checking'], to: 'checking' },
  clear: { from: ['checking'], to: 'cleared' },
  reject: { from: ['checking'], to: 'rejected' },
  fail: { from: ['receiving', 'checking'], to: 'failed' },
  // The bytes are not there any more, for whatever reason.
  lose: { from: ['queued', 'checking', 'cleared'], to: 'failed' },
  // They are back.
  restore: { from: ['failed'], to: 'cleared' },
  // A newer one for the same target came. What is cleared by then is shown until that one is.
  supersede: { from: ['receiving', 'queued', 'checking'], to: 'cancelled' },
  cancel: { from: ['receiving', 'queued', 'checking', 'cleared'], to: 'cancelled' },
})
export type UploadMove = keyof typeof uploadMoves

export type AttachmentState = 'pending' | 'ready' | 'cleanup_queued' | 'removed'

export const attachmentMoves = moves<AttachmentState>()({
  // Cleared, and its Post can have it.
  attach: { from: ['pending'], to: 'ready' },
  remove: { from: ['pending', 'ready'], to: 'cleanup_queued' },
  // Its bytes are gone.
  forget: { from: ['cleanup_queued'], to: 'removed' },
})
export type AttachmentMove = keyof typeof attachmentMoves
