import { uploadAvatar, uploadHeader } from '@pennypost/contract/images'
import { declareAgent, getProfile, type Profile, removeHeaderImage, updateProfile } from '@pennypost/contract/profiles'
import { callApi } from '../call-api.ts'
import { Avatar } from '../components/avatar.tsx'
import { h } from '../dom.ts'
import { button, field, fieldText, form } from '../form.ts'
import { imagePicker } from '../image-picker.ts'
import { pathOf } from '../path-of.ts'
import { randomUuid } from '../random-uuid.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'
import { confirmAction } from '../ui/confirm-action.tsx'
import { toElement } from '../ui/dom-bridge.tsx'

/** The public profile: pictures, name, links and tip amounts. */
export async function showProfileSettings(): Promise<void> {
  const profile = await callApi(getProfile, {})
  showView(
    h(
      'div',
      { class: 'card' },
      h('section', { class: 'card box', 'aria-label': 'Pictures' }, h('h2', {}, 'Pictures'), pictures(profile)),
      details(profile),
      tipping(profile),
      profile.authorKind === 'human' && agentNote(),
    ),
  )
}

const pictures = (profile: Profile): HTMLElement =>
  h(
    'div',
    { class: 'pictures' },
    h(
      'div',
      { class: 'card' },
      toElement(Avatar({ person: profile, size: 'large' })),
      picker('Choose an avatar', uploadAvatar),
    ),
    h(
      'div',
      { class: 'card' },
      profile.headerImageUrl &&
        h('img', { src: pathOf(profile.headerImageUrl), alt: 'Your header image', width: 256, height: 64 }),
      picker('Choose a header', uploadHeader),
      profile.headerImageUrl &&
        button(
          'Remove the header',
          async () => {
            await callApi(removeHeaderImage, {})
            await showProfileSettings()
          },
          'text-button',
        ),
    ),
  )

const picker = (words: string, endpoint: typeof uploadAvatar | typeof uploadHeader): HTMLElement =>
  imagePicker(
    words,
    (body, fetcher) => callApi(endpoint, { idempotencyKey: randomUuid(), body }, fetcher),
    showProfileSettings,
  )

function details(profile: Profile): HTMLFormElement {
  const [x, custom] = ['X', 'Custom'].map(
    (label) => profile.socialLinks.find((link) => link.label === label)?.url ?? '',
  )
  const element = form(
    [
      h('h2', {}, 'About you'),
      field('Name', h('input', { name: 'name', required: true, maxlength: 50, value: profile.name })),
      field(
        'Handle',
        h('input', { name: 'handle', required: true, minlength: 4, maxlength: 30, value: profile.handle }),
        'Your page is at /@handle.',
      ),
      field('About', h('textarea', { name: 'bio', maxlength: 250, rows: 3 }, profile.bio)),
      field('Place', h('input', { name: 'location', maxlength: 80, value: profile.location ?? '' })),
      field('On X', h('input', { name: 'x', type: 'url', value: x, placeholder: 'https://x.com/…' })),
      field('Elsewhere', h('input', { name: 'custom', type: 'url', value: custom, placeholder: 'https://…' })),
    ],
    'Save',
    async (fields) => {
      const links = [
        { label: 'X', url: fieldText(fields, 'x') },
        { label: 'Custom', url: fieldText(fields, 'custom') },
      ]
      await callApi(updateProfile, {
        body: {
          name: fieldText(fields, 'name'),
          handle: fieldText(fields, 'handle'),
          bio: fieldText(fields, 'bio') || null,
          location: fieldText(fields, 'location') || null,
          socialLinks: links.filter(({ url }) => url !== ''),
        },
      })
      showToast('Your profile is saved.')
    },
  )
  element.classList.add('box')
  return element
}

function tipping({ tipping: { buttonLabel, amounts } }: Profile): HTMLFormElement {
  const amount = (index: number) =>
    h('input', {
      name: `amount${index}`,
      type: 'number',
      min: 0.001,
      step: 'any',
      required: true,
      value: amounts[index],
      'aria-label': `Amount ${index + 1} in XNO`,
    })
  const element = form(
    [
      h('h2', {}, 'Tips'),
      field('Button', h('input', { name: 'buttonLabel', required: true, maxlength: 40, value: buttonLabel })),
      h(
        'fieldset',
        { class: 'plain' },
        h('legend', { class: 'hint' }, 'Three amounts in XNO, ascending'),
        h(
          'div',
          { class: 'row' },
          [0, 1, 2].map((index) => h('div', { class: 'third' }, amount(index))),
        ),
      ),
    ],
    'Save',
    async (fields) => {
      const given = [0, 1, 2].map((index) => Number(fieldText(fields, `amount${index}`)))
      await callApi(updateProfile, {
        body: { tipping: { buttonLabel: fieldText(fields, 'buttonLabel'), amounts: given } },
      })
      showToast('Saved.')
    },
  )
  element.classList.add('box')
  return element
}

const agentNote = (): HTMLElement =>
  h(
    'p',
    { class: 'quiet' },
    'Is this the account of an AI agent? ',
    button(
      'Say so',
      async () => {
        if (
          (await confirmAction(
            'Label this account as an AI agent? Only an administrator can take that back.',
            'Label it',
          )) === undefined
        )
          return
        await callApi(declareAgent, {})
        await showProfileSettings()
      },
      'text-button',
    ),
  )
