const badges: Readonly<Record<string, string | undefined>> = {
  ai_assisted: 'AI-assisted',
  ai_generated: 'AI-generated',
  autonomous_agent: 'AI agent',
}

/** A short label for lists, by how the author says a post was made. A post without AI has none. */
export const aiBadge = (creationMethod: string | null | undefined): string | undefined => badges[creationMethod ?? '']
