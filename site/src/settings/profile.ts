import { uploadAvatar, uploadHeader } from '@pennypost/contract/images'
import { declareAgent, getProfile, type Profile, removeHeaderImage, updateProfile } from '@pennypost/contract/profiles'
import { ask, newKey } from '../api.ts'
import { askFirst, h, say, show } from '../dom.ts'
import { button, field, form, text } from '../form.ts'
import { imagePicker } from '../image-picker.ts'
import { avatar, pathOf } from '../person.ts'

/** What everybody sees of somebody. */
export async function showProfile(): Promise<void> {
  const profile = await ask(getProfile, {})
  show(
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
    h('div', { class: 'card' }, avatar(profile, 'large'), picker('Choose an avatar', uploadAvatar)),
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
            await ask(removeHeaderImage, {})
            await showProfile()
          },
          'text-button',
        ),
    ),
  )

const picker = (words: string, endpoint: typeof uploadAvatar | typeof uploadHeader): HTMLElement =>
  imagePicker(words, (body, fetcher) => ask(endpoint, { idempotencyKey: newKey(), body }, fetcher), showProfile)

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
        { label: 'X', url: text(fields, 'x') },
        { label: 'Custom', url: text(fields, 'custom') },
      ]
      await ask(updateProfile, {
        body: {
          name: text(fields, 'name'),
          handle: text(fields, 'handle'),
          bio: text(fields, 'bio') || null,
          location: text(fields, 'location') || null,
          socialLinks: links.filter(({ url }) => url !== ''),
        },
      })
      say('Your profile is saved.')
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
      const given = [0, 1, 2].map((index) => Number(text(fields, `amount${index}`)))
      await ask(updateProfile, { body: { tipping: { buttonLabel: text(fields, 'buttonLabel'), amounts: given } } })
      say('Saved.')
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
          (await askFirst(
            'Label this account as an AI agent? Only an administrator can take that back.',
            'Label it',
          )) === undefined
        )
          return
        await ask(declareAgent, {})
        await showProfile()
      },
      'text-button',
    ),
  )
