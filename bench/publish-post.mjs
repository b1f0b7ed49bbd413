/** Sends JSON with a token and returns the JSON of the reply; throws unless it succeeded. */
export async function sendJson(origin, method, path, token, body, further = {}) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...further }
  const reply = await fetch(origin + path, { method, headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return reply.json()
}

/** Writes and publishes a post through the API. Returns its id. */
export async function publishPost(origin, { key }, fields) {
  const { id } = await sendJson(origin, 'POST', '/api/v1/posts', key, {
    title: 'On engines',
    category: 'technology',
    language: 'en',
    creationMethod: 'human',
    creationAttested: true,
    ...fields,
  })
  await sendJson(origin, 'POST', `/api/v1/posts/${id}/publish`, key, {})
  return id
}
