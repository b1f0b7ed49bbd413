import { refusal } from './refusal.ts'

export const adminRequired = refusal('admin-required', 403, 'Only administrators can do this.')

/** Declarations that all operations for administrators share. Each also lists `adminRequired` among its refusals. */
export const adminOnly = { tag: 'Administration', credential: 'owner-session', errors: 'problem' } as const
