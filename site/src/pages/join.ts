import { getHandleAvailability } from '@pennypost/contract/profiles'
import { startRegistration, verifyRegistration } from '@pennypost/contract/registrations'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button, codeInput, field, fieldText, form } from '../form.ts'
import { randomUuid } from '../random-uuid.ts'
import { signIn } from '../session.ts'
import { showView } from '../show-view.ts'

showForm()

function showForm(): void {
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
  handle.addEventListener('change', () => showAvailability(handle.value, hint))
  showView(
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
        const email = fieldText(fields, 'email')
        const { registrationId } = await callApi(startRegistration, {
          idempotencyKey: randomUuid(),
          body: { email, name: fieldText(fields, 'name'), handle: fieldText(fields, 'handle'), acceptedTerms: true },
        })
        showCodeForm(registrationId, email)
      },
    ),
    h('p', { class: 'other-way' }, 'Already here? ', h('a', { href: `/sign-in${location.search}` }, 'Sign in'), '.'),
  )
}

async function showAvailability(handle: string, hint: HTMLElement): Promise<void> {
  if (!/^[A-Za-z0-9_]{4,30}$/.test(handle)) return
  const { available } = await callApi(getHandleAvailability, { query: { handle } })
  hint.textContent = available ? `@${handle} is free.` : `@${handle} is taken.`
}

function showCodeForm(registrationId: string, email: string): void {
  const code = codeInput()
  showView(
    h('p', {}, 'We wrote to ', h('b', {}, email), '. The code in that mail finishes it.'),
    form([field('Code', code)], 'Finish', async (fields) => {
      await signIn(
        await callApi(verifyRegistration, { params: { registrationId }, body: { code: fieldText(fields, 'code') } }),
      )
    }),
    h('p', {}, button('Start over', showForm, 'text-button')),
  )
  code.focus()
}
