import { type EditorState, type Extension, StateEffect, StateField, Transaction } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'

// Images in the text are `![alt](image:key)`. Below the line, the editor shows the image itself, or how far its upload is, with a
// field for its alternative text.

/** What is known of an image. */
export interface ImageState {
  /** Where it is, once it has been screened. */
  readonly url?: string
  /** What happens to it until then. */
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

/** Shows what is known of images. */
export const showImages = (view: EditorView, images: Iterable<readonly [key: string, image: ImageState]>): void =>
  view.dispatch({ effects: [...images].map(([key, image]) => setImage.of({ key, image })) })

/** Where an image is in the text. */
export interface FoundImage {
  readonly key: string
  readonly alt: string
  readonly from: number
  readonly to: number
}

const imageMark = /!\[((?:[^\]\\]|\\.)*)\]\(image:([A-Za-z0-9_-]{1,64})\)/g

export function findImages({ doc }: EditorState): FoundImage[] {
  const found: FoundImage[] = []
  let position = 0
  for (const line of doc.iterLines()) {
    if (line.includes('](image:'))
      for (const match of line.matchAll(imageMark)) {
        const from = position + match.index
        found.push({ key: match[2]!, alt: match[1]!, from, to: from + match[0].length })
      }
    position += line.length + 1
  }
  return found
}

export const markOf = (alt: string, key: string): string => `![${alt.replaceAll(/[\\[\]]/g, '')}](image:${key})`

function decorate(state: EditorState): DecorationSet {
  const images = state.field(knownImages)
  const widgets = findImages(state).map(({ key, alt, to }) =>
    Decoration.widget({ widget: new ImageWidget(key, alt, images.get(key)), block: true, side: 1 }).range(
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
    readonly image: ImageState | undefined,
  ) {
    super()
  }

  override eq({ key, alt, image }: ImageWidget): boolean {
    return key === this.key && alt === this.alt && image === this.image
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
    const label = document.createElement('label')
    const input = document.createElement('input')
    input.placeholder = 'Describe the image for people who cannot see it'
    input.addEventListener('change', () => changeAlt(view, this.key, input.value))
    label.append('Alt text ', input)
    figure.append(image, progress, state, label)
    this.#show(figure)
    return figure
  }

  override updateDOM(dom: HTMLElement): boolean {
    if (dom.dataset.key !== this.key) return false
    this.#show(dom)
    return true
  }

  #show(figure: HTMLElement): void {
    const { key, alt, image: { url, label = '', progress } = { label: 'Not uploaded' } } = this
    figure.dataset.key = key
    const [image, bar, state, field] = figure.children as unknown as [
      HTMLImageElement,
      HTMLProgressElement,
      HTMLElement,
      HTMLElement,
    ]
    image.hidden = url === undefined
    if (url !== undefined && image.getAttribute('src') !== url) image.src = url
    image.alt = alt
    bar.hidden = progress === undefined
    bar.value = progress ?? 0
    state.textContent = url === undefined ? label : ''
    const input = field.querySelector('input')!
    if (input !== document.activeElement) input.value = alt
  }

  override ignoreEvent(): boolean {
    return true
  }
}

function changeAlt(view: EditorView, key: string, alt: string): void {
  const found = findImages(view.state).find((image) => image.key === key)
  if (found)
    view.dispatch({ changes: { from: found.from, to: found.to, insert: markOf(alt, key) }, userEvent: 'input' })
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
