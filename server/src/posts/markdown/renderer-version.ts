// In a file of its own: whoever stores html should not load what writes it, which lives in another thread.

/** Stored beside the html. Raise it with every change of output, so that what is stored can be rendered again. */
export const rendererVersion = 1
