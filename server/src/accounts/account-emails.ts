import type { EmailSender } from '../platform/mail/email-sender.ts'
import { type RenderedEmail, renderEmail } from '../platform/mail/render-email.ts'

// The emails of this room. The code is in the subject, so that people can read it in a notification.

const ignore = "If this wasn't you, ignore this email: nothing happens without the code."

const hostOf = ({ origin }: EmailSender): string => new URL(origin).host

/** Does not greet by name: nobody has proved yet that the name and the mailbox belong together. */
export const registrationEmail = (sender: EmailSender, code: string): RenderedEmail =>
  renderEmail(sender, {
    subject: `${code} is your ${sender.name} code`,
    greeting: 'Hi,',
    paragraphs: [
      `Enter this code to finish signing up at ${hostOf(sender)}. It expires an hour after you requested it.`,
    ],
    code,
    reason: `Someone signed up with this email address. ${ignore}`,
  })

export const alreadyRegisteredEmail = (sender: EmailSender): RenderedEmail =>
  renderEmail(sender, {
    subject: `You already have a ${sender.name} account`,
    greeting: 'Hi,',
    paragraphs: [
      `Someone tried to sign up at ${hostOf(sender)} with this email address. You already have an account, so no new one was created.`,
      'To sign in, request a sign-in code for this email address.',
    ],
    reason: "If this wasn't you, you don't need to do anything: nothing about your account has changed.",
  })

export const loginEmail = (sender: EmailSender, name: string, code: string, url: string): RenderedEmail =>
  renderEmail(sender, {
    subject: `${code} is your ${sender.name} sign-in code`,
    greeting: `Hi ${name},`,
    paragraphs: [`Enter this code or open the link to sign in at ${hostOf(sender)}. Both expire in ten minutes.`],
    code,
    link: { label: 'Sign in', url },
    reason: `Someone asked to sign in with this email address. ${ignore}`,
  })

/** Does not greet by name: the reader of an unknown mailbox has none, and both emails should look alike. */
export const continuationEmail = (sender: EmailSender, isNew: boolean, code: string, url: string): RenderedEmail => {
  const purpose = isNew ? 'sign up' : 'sign in'
  return renderEmail(sender, {
    subject: `${code} is your ${sender.name} code`,
    greeting: 'Hi,',
    paragraphs: [`Enter this code or open the link to ${purpose} at ${hostOf(sender)}. Both expire in ten minutes.`],
    code,
    link: { label: isNew ? 'Sign up' : 'Sign in', url },
    reason: `Someone asked to ${purpose} with this email address. ${ignore}`,
  })
}

/** The email to an address without an account, on a site that does not accept new ones. */
export const notAdmittedEmail = (sender: EmailSender, registration: 'invite' | 'closed' | 'open'): RenderedEmail =>
  renderEmail(sender, {
    subject: `You have no ${sender.name} account`,
    greeting: 'Hi,',
    paragraphs: [
      `Someone tried to sign in at ${hostOf(sender)} with this email address. It has no account.`,
      registration === 'invite'
        ? 'New accounts need an invitation. If you have one, open its link and sign up there.'
        : 'The site does not accept new accounts.',
    ],
    reason: "If this wasn't you, you don't need to do anything.",
  })

export const emailChangeEmail = (sender: EmailSender, code: string, url: string): RenderedEmail =>
  renderEmail(sender, {
    subject: `${code} confirms your new ${sender.name} email address`,
    greeting: 'Hi,',
    paragraphs: [
      `Enter this code or open the link to use this email address for your account at ${hostOf(sender)}. The code expires in ten minutes, the link in an hour.`,
    ],
    code,
    link: { label: 'Confirm this address', url },
    reason: `Someone asked to use this email address for their account. ${ignore}`,
  })

export const deletionNoticeEmail = (sender: EmailSender): RenderedEmail =>
  renderEmail(sender, {
    subject: `Your ${sender.name} account was deleted`,
    greeting: 'Hi,',
    paragraphs: [
      `Your account at ${hostOf(sender)} was deleted, as you asked. Your name, your email address and everything you did not sell are gone or will be within hours. Posts that others bought stay readable to them, without your name.`,
      'Money that was on its way to you is still paid to the address it was promised to.',
    ],
    reason: "This is the last email about this account. If this wasn't you, contact the operator of the service.",
  })

const confirmed = {
  export: 'export all data of your account',
  deletion: 'DELETE your account for good',
} as const

/** Says plainly what the code does, so that nobody is tricked into reading it out to a stranger. */
export const confirmationEmail = (
  sender: EmailSender,
  { name, handle }: { readonly name: string; readonly handle: string },
  purpose: keyof typeof confirmed,
  code: string,
): RenderedEmail =>
  renderEmail(sender, {
    subject:
      purpose === 'export' ? `${code} exports your ${sender.name} data` : `${code} deletes your ${sender.name} account`,
    greeting: `Hi ${name},`,
    paragraphs: [
      `This code is to ${confirmed[purpose]} @${handle} at ${hostOf(sender)}. Enter it on the page where you asked for it, and nowhere else. It expires in ten minutes.`,
    ],
    code,
    reason:
      "Someone signed in to your account asked for this. If it wasn't you, do not give the code to anyone: sign in, end your other sessions, revoke your keys and disconnect programs that you do not know.",
  })

export const addressTakenEmail = (sender: EmailSender): RenderedEmail =>
  renderEmail(sender, {
    subject: `This email address already has a ${sender.name} account`,
    greeting: 'Hi,',
    paragraphs: [
      `Someone asked to use this email address for another account at ${hostOf(sender)}. It belongs to your account, so nothing has changed.`,
    ],
    reason: 'If this was you, sign in with this email address instead.',
  })

export const changeRequestedEmail = (sender: EmailSender, newAddress: string): RenderedEmail =>
  renderEmail(sender, {
    subject: `Your ${sender.name} email address is about to change`,
    greeting: 'Hi,',
    paragraphs: [
      `Someone signed in to your account at ${hostOf(sender)} asked to change its email address to ${newAddress}.`,
      'Your account keeps its current email address until the new one is confirmed.',
    ],
    reason:
      "If this wasn't you, sign in, end your other sessions, revoke your keys and disconnect programs that you do not know.",
  })

export const changeDoneEmail = (sender: EmailSender, newAddress: string): RenderedEmail =>
  renderEmail(sender, {
    subject: `Your ${sender.name} email address was changed`,
    greeting: 'Hi,',
    paragraphs: [
      `Your account at ${hostOf(sender)} now uses ${newAddress}. You can no longer sign in with this email address.`,
    ],
    reason: "If this wasn't you, contact the operator of the service right away.",
  })
