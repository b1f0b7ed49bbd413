import { cleanText } from '../clean-text.ts'
import { type Block, type Inline, parseCommentMarkdown } from '../comment-markdown.ts'
import type { Children } from '../jsx/markup.ts'
import { creatorPath } from '../paths.ts'

/** From a mentioned handle, in lower case, to that person's current handle. */
export type Mentioned = Readonly<Record<string, string>>

interface CommentTextProps {
  readonly text: string
  readonly mentioned: Mentioned
}

// Most comments are a line or two without any Markdown.
const mayBeMarkdown = /[\\`*_[<>@~\n\r]|https?:|^\s*(?:[-+]|\d+[.)]) /

/**
 * The text of a comment. Its Markdown becomes these elements and no others; links have `rel` values that keep spammers from
 * gaining rank.
 */
export function CommentText({ text, mentioned }: CommentTextProps) {
  const clean = cleanText(text)
  return (
    <div class="comment-text" dir="auto">
      {mayBeMarkdown.test(clean) ? blocks(parseCommentMarkdown(clean), mentioned) : <p>{clean}</p>}
    </div>
  )
}

const blocks = (list: readonly Block[], mentioned: Mentioned): Children =>
  list.map((block) => showBlock(block, mentioned))

function showBlock(block: Block, mentioned: Mentioned): Children {
  switch (block.kind) {
    case 'paragraph':
      return <p>{inlines(block.children, mentioned)}</p>
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      )
    case 'quote':
      return <blockquote>{blocks(block.children, mentioned)}</blockquote>
    case 'list': {
      const items = block.items.map((item) => <li>{itemContent(item, mentioned)}</li>)
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
  }
}

/** The first paragraph of an item needs no separate element. */
function itemContent([first, ...others]: readonly Block[], mentioned: Mentioned): Children {
  if (first?.kind !== 'paragraph') return blocks(first ? [first, ...others] : [], mentioned)
  return [inlines(first.children, mentioned), blocks(others, mentioned)]
}

const inlines = (list: readonly Inline[], mentioned: Mentioned): Children =>
  list.map((item) => showInline(item, mentioned))

function showInline(item: Inline, mentioned: Mentioned): Children {
  if (typeof item === 'string') return item
  switch (item.kind) {
    case 'em':
      return <em>{inlines(item.children, mentioned)}</em>
    case 'strong':
      return <strong>{inlines(item.children, mentioned)}</strong>
    case 'code':
      return <code>{item.text}</code>
    case 'break':
      return <br />
    case 'link':
      return (
        <a href={item.href} rel="nofollow ugc noopener noreferrer">
          {inlines(item.children, mentioned)}
        </a>
      )
    case 'mention': {
      const written = `@${item.handle}`
      const handle = item.handle.toLowerCase()
      return Object.hasOwn(mentioned, handle) ? <a href={creatorPath(mentioned[handle]!)}>{written}</a> : written
    }
  }
}
