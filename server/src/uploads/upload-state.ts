import { moves } from '../platform/state-machine.ts'

export type UploadState = 'receiving' | 'queued' | 'checking' | 'cleared' | 'rejected' | 'failed' | 'cancelled'

/** The moves of an upload. Only a check can clear it, and a check only begins once its bytes are stored. */
export const uploadMoves = moves<UploadState>()({
  receive: { from: ['receiving'], to: 'queued' },
  // Also from `checking`: the process that checked it died, or a screener was unavailable.
  check: { from: ['queued', 'checking'], to: 'checking' },
  clear: { from: ['checking'], to: 'cleared' },
  reject: { from: ['checking'], to: 'rejected' },
  fail: { from: ['receiving', 'checking'], to: 'failed' },
  // The stored bytes are missing.
  lose: { from: ['queued', 'checking', 'cleared'], to: 'failed' },
  // The missing bytes are back.
  restore: { from: ['failed'], to: 'cleared' },
  // A newer upload for the same target has arrived. An image that is already cleared stays until the newer one is.
  supersede: { from: ['receiving', 'queued', 'checking'], to: 'cancelled' },
  cancel: { from: ['receiving', 'queued', 'checking', 'cleared'], to: 'cancelled' },
})
export type UploadMove = keyof typeof uploadMoves

export type AttachmentState = 'pending' | 'ready' | 'cleanup_queued' | 'removed'

export const attachmentMoves = moves<AttachmentState>()({
  // Cleared, and its post has a paywall.
  attach: { from: ['pending'], to: 'ready' },
  remove: { from: ['pending', 'ready'], to: 'cleanup_queued' },
  // Its bytes have been removed.
  forget: { from: ['cleanup_queued'], to: 'removed' },
})
export type AttachmentMove = keyof typeof attachmentMoves
