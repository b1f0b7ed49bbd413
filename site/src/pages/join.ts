import { getHandleAvailability } from '@pennypost/contract/profiles'
import { startRegistration, verifyRegistration } from '@pennypost/contract/registrations'
import { ask, newKey } from '../api.ts'
import { h, show } from '../dom.ts'
import { button, codeInput, field, form, text } from '../form.ts'
import { signIn } from '../session.ts'

begin()

function begin(): void {
  const handle = h('input', {
    name: 'handle',
    required: true,
    minlength: 4,
    maxlength: 30,
    pattern: '[A-Za-z0-9_]+',
    autocapitalize: 'none',
    autocomplete: 'username',
    spellcheck: 'false',
    title: 'Letters, digits and _',
  })
  const hint = h('span', { 'aria-live': 'polite' }, 'Your page is at /@handle.')
  handle.addEventListener('change', () => tellWhetherFree(handle.value, hint))
  show(
    form(
      [
        field('Name', h('input', { name: 'name', required: true, maxlength: 50, autocomplete: 'name' })),
        field('Handle', handle, hint),
        field(
          'Email',
          h('input', { name: 'email', type: 'email', required: true, maxlength: 320, autocomplete: 'email' }),
        ),
        h(
          'label',
          { class: 'check' },
          h('input', { type: 'checkbox', name: 'acceptedTerms', required: true }),
          'I take responsibility for what I publish here.',
        ),
      ],
      'Join',
      async (fields) => {
        const email = text(fields, 'email')
        const { registrationId } = await ask(startRegistration, {
          idempotencyKey: newKey(),
          body: { email, name: text(fields, 'name'), handle: text(fields, 'handle'), acceptedTerms: true },
        })
        askForCode(registrationId, email)
      },
    ),
    h('p', { class: 'other-way' }, 'Already here? ', h('a', { href: `/sign-in${location.search}` }, 'Sign in'), '.'),
  )
}

async function tellWhetherFree(handle: string, hint: HTMLElement): Promise<void> {
  if (!/^[A-Za-z0-9_]{4,30}$/.test(handle)) return
  const { available } = await ask(getHandleAvailability, { query: { handle } })
  hint.textContent = available ? `@${handle} is free.` : `@${handle} is taken.`
}

function askForCode(registrationId: string, email: string): void {
  const code = codeInput()
  show(
    h('p', {}, 'We wrote to ', h('b', {}, email), '. The code in that mail finishes it.'),
    form([field('Code', code)], 'Finish', async (fields) => {
      await signIn(await ask(verifyRegistration, { params: { registrationId }, body: { code: text(fields, 'code') } }))
    }),
    h('p', {}, button('Start over', begin, 'text-button')),
  )
  code.focus()
}
