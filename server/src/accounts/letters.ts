import { type RenderedEmail, renderEmail } from '../platform/mail/render-email.ts'

// The emails of this room. The code is in the subject, so that people can read it in a notification.

const ignore = 'If it was not you, ignore this mail: nothing happens without the code.'
const serviceOf = (origin: string): string => new URL(origin).host

export const registrationLetter = (origin: string, name: string, code: string): RenderedEmail =>
  renderEmail({
    subject: `${code} is your Pennypost code`,
    greeting: `Hello ${name},`,
    paragraphs: [
      `enter this code to finish your registration at ${serviceOf(origin)}. It works for an hour after you asked for it.`,
    ],
    code,
    reason: `Somebody registered with this address. ${ignore}`,
  })

export const alreadyRegisteredLetter = (origin: string): RenderedEmail =>
  renderEmail({
    subject: 'You already have a Pennypost account',
    greeting: 'Hello,',
    paragraphs: [
      `somebody asked to register at ${serviceOf(origin)} with this address. It has an account already, so no new one was made.`,
      'To sign in, ask for a sign-in code with this address instead.',
    ],
    reason: 'If it was not you, there is nothing to do: your account was not touched.',
  })

export const loginLetter = (origin: string, name: string, code: string): RenderedEmail =>
  renderEmail({
    subject: `${code} is your Pennypost sign-in code`,
    greeting: `Hello ${name},`,
    paragraphs: [`enter this code to sign in at ${serviceOf(origin)}. It works for ten minutes.`],
    code,
    reason: `Somebody asked to sign in with this address. ${ignore}`,
  })

export const emailChangeLetter = (origin: string, code: string, url: string): RenderedEmail =>
  renderEmail({
    subject: `${code} confirms your new Pennypost address`,
    greeting: 'Hello,',
    paragraphs: [
      `enter this code, or open the link, to use this address for your account at ${serviceOf(origin)}. The code works for ten minutes, the link for an hour.`,
    ],
    code,
    link: { label: 'Confirm this address', url },
    reason: `Somebody asked to use this address for their account. ${ignore}`,
  })

export const addressTakenLetter = (origin: string): RenderedEmail =>
  renderEmail({
    subject: 'This address has a Pennypost account',
    greeting: 'Hello,',
    paragraphs: [
      `somebody asked to use this address for another account at ${serviceOf(origin)}. It belongs to your account, so nothing was changed.`,
    ],
    reason: 'If it was you, sign in with this address instead.',
  })

export const changeRequestedLetter = (origin: string, newAddress: string): RenderedEmail =>
  renderEmail({
    subject: 'A new address was asked for your Pennypost account',
    greeting: 'Hello,',
    paragraphs: [
      `somebody who is signed in to your account at ${serviceOf(origin)} asked to change its address to ${newAddress}.`,
      'Your account keeps the present address until the new one is confirmed.',
    ],
    reason: 'If it was not you, sign in and end your other sessions and keys.',
  })

export const changeDoneLetter = (origin: string, newAddress: string): RenderedEmail =>
  renderEmail({
    subject: 'The address of your Pennypost account was changed',
    greeting: 'Hello,',
    paragraphs: [`your account at ${serviceOf(origin)} now uses ${newAddress}. This address no longer signs in.`],
    reason: 'If it was not you, tell the operator of the service at once.',
  })
