// A separate file, so that code that only stores HTML does not load the renderer, which runs in another thread.

/** Whether a text may have footnotes or references to them. */
export const mayHaveFootnotes = (markdown: string): boolean => markdown.includes('[^')
