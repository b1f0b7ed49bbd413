import { type EditorState, type Extension, StateEffect, StateField, Transaction } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { captionOf, titleOf } from './caption.ts'

// Images in the text are `![alt](image:key)` or `![alt](image:key "caption")`. Below the line, the editor shows the image itself, or
// how far its upload is, with fields for its alternative text and its caption.

/** The state of an image. */
export interface ImageState {
  /** Its URL, once it has been screened. */
  readonly url?: string
  /** Its status until then. */
  readonly label: string
  /** How much was sent, from 0 to 1. */
  readonly progress?: number
}

const setImage = StateEffect.define<{ readonly key: string; readonly image: ImageState }>()

const knownImages = StateField.define<ReadonlyMap<string, ImageState>>({
  create: () => new Map(),
  update(images, { effects }) {
    const changed = effects.filter((effect) => effect.is(setImage)).map(({ value }) => value)
    return changed.length === 0
      ? images
      : new Map([...images, ...changed.map(({ key, image }) => [key, image] as const)])
  },
})

/** Updates the state of images. */
export const showImages = (view: EditorView, images: Iterable<readonly [key: string, image: ImageState]>): void =>
  view.dispatch({ effects: [...images].map(([key, image]) => setImage.of({ key, image })) })

/** Where an image is in the text. */
export interface FoundImage {
  readonly key: string
  readonly alt: string
  /** As it is written, with its escapes. Empty without one. */
  readonly title: string
  readonly from: number
  readonly to: number
}

const imageMark = /!\[((?:[^\]\\]|\\.)*)\]\(image:([A-Za-z0-9_-]{1,64})(?:[ \t]+"((?:[^"\\]|\\.)*)")?[ \t]*\)/g

export function findImages({ doc }: EditorState): FoundImage[] {
  const found: FoundImage[] = []
  let position = 0
  for (const line of doc.iterLines()) {
    if (line.includes('](image:'))
      for (const match of line.matchAll(imageMark)) {
        const from = position + match.index
        found.push({ key: match[2]!, alt: match[1]!, title: match[3] ?? '', from, to: from + match[0].length })
      }
    position += line.length + 1
  }
  return found
}

const write = (alt: string, key: string, title: string): string =>
  `![${alt}](image:${key}${title === '' ? '' : ` "${title}"`})`

const plainAlt = (alt: string): string => alt.replaceAll(/[\\[\]]/g, '')

export const markOf = (alt: string, key: string): string => write(plainAlt(alt), key, '')

function decorate(state: EditorState): DecorationSet {
  const images = state.field(knownImages)
  const widgets = findImages(state).map(({ key, alt, title, to }) =>
    Decoration.widget({ widget: new ImageWidget(key, alt, title, images.get(key)), block: true, side: 1 }).range(
      state.doc.lineAt(to).to,
    ),
  )
  return Decoration.set(widgets)
}

/** Shows the images of the text below their lines. */
export const imageView: Extension = [
  knownImages,
  StateField.define<DecorationSet>({
    create: decorate,
    update: (shown, { state, docChanged, effects }) =>
      docChanged || effects.some((effect) => effect.is(setImage)) ? decorate(state) : shown,
    provide: (field) => EditorView.decorations.from(field),
  }),
]

class ImageWidget extends WidgetType {
  constructor(
    readonly key: string,
    readonly alt: string,
    readonly title: string,
    readonly image: ImageState | undefined,
  ) {
    super()
  }

  override eq({ key, alt, title, image }: ImageWidget): boolean {
    return key === this.key && alt === this.alt && title === this.title && image === this.image
  }

  override toDOM(view: EditorView): HTMLElement {
    const figure = document.createElement('figure')
    figure.className = 'text-image'
    const image = document.createElement('img')
    const progress = document.createElement('progress')
    progress.max = 1
    progress.setAttribute('aria-label', 'Uploaded')
    const state = document.createElement('span')
    state.setAttribute('role', 'status')
    figure.append(
      image,
      progress,
      state,
      field('Alt text', 'Describe the image for people who cannot see it', (text) =>
        change(view, figure.dataset.key!, ({ key, title }) => write(plainAlt(text), key, title)),
      ),
      field('Caption', 'Shown below an image in its own paragraph', (text) =>
        change(view, figure.dataset.key!, ({ key, alt }) => write(alt, key, titleOf(text.trim()))),
      ),
    )
    this.#show(figure)
    return figure
  }

  override updateDOM(dom: HTMLElement): boolean {
    if (dom.dataset.key !== this.key) return false
    this.#show(dom)
    return true
  }

  #show(figure: HTMLElement): void {
    const { key, alt, title, image: { url, label = '', progress } = { label: 'Not uploaded' } } = this
    figure.dataset.key = key
    const [image, bar, state, altField, captionField] = figure.children as unknown as [
      HTMLImageElement,
      HTMLProgressElement,
      HTMLElement,
      HTMLElement,
      HTMLElement,
    ]
    image.hidden = url === undefined
    if (url !== undefined && image.getAttribute('src') !== url) image.src = url
    image.alt = alt
    bar.hidden = progress === undefined
    bar.value = progress ?? 0
    state.textContent = url === undefined ? label : ''
    setText(altField, alt)
    setText(captionField, captionOf(title))
  }

  override ignoreEvent(): boolean {
    return true
  }
}

function field(name: string, placeholder: string, onChange: (text: string) => void): HTMLElement {
  const label = document.createElement('label')
  const input = document.createElement('input')
  input.placeholder = placeholder
  input.addEventListener('change', () => onChange(input.value))
  label.append(`${name} `, input)
  return label
}

/** Shows a text in a field, unless the author is writing there. */
function setText(label: HTMLElement, text: string): void {
  const input = label.querySelector('input')!
  if (input !== document.activeElement) input.value = text
}

function change(view: EditorView, key: string, markFor: (found: FoundImage) => string): void {
  const found = findImages(view.state).find((image) => image.key === key)
  if (!found) return
  const changes = { from: found.from, to: found.to, insert: markFor(found) }
  view.dispatch({ changes, userEvent: 'input' })
}

/** Takes an image out of the text again because it cannot be shown. The author cannot bring it back by undoing. */
export function removeImage(view: EditorView, key: string): boolean {
  const found = findImages(view.state).find((image) => image.key === key)
  if (found)
    view.dispatch({
      changes: { from: found.from, to: found.to },
      annotations: Transaction.addToHistory.of(false),
    })
  return found !== undefined
}
