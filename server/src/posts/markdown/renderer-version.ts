// A separate file, so that code that only stores HTML does not load the renderer, which runs in another thread.

/** Stored with the HTML. Raise it whenever the output changes, so that stored posts can be rendered again. */
export const rendererVersion = 3
