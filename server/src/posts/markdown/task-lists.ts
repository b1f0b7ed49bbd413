import type { MarkdownIt } from 'markdown-it'

const box = /^\[([ xX])\]\s/

export function taskLists(md: MarkdownIt): void {
  md.core.ruler.push('task_lists', ({ tokens, Token }) => {
    for (let index = 2; index < tokens.length; index++) {
      const [item, paragraph, inline] = [tokens[index - 2]!, tokens[index - 1]!, tokens[index]!]
      if (item.type !== 'list_item_open' || paragraph.type !== 'paragraph_open') continue
      const first = inline.children?.[0]
      const found = first?.type === 'text' && box.exec(first.content)
      if (!found) continue
      item.attrSet('class', 'task')
      first.content = first.content.slice(found[0].length - 1)
      const checkbox = new Token('task_box', 'input', 0)
      checkbox.attrSet('type', 'checkbox')
      checkbox.attrSet('disabled', 'disabled')
      if (found[1] !== ' ') checkbox.attrSet('checked', 'checked')
      inline.children!.unshift(checkbox)
    }
  })
}
