const handleInUse = 'SELECT EXISTS (SELECT FROM accounts WHERE lower(handle) = lower($1)) AS taken'

export default {
  name: 'foundation',
  title: 'Foundation',
  async routes({ startServer }) {
    return [
      {
        label: 'a declared GET: validates parameters, writes JSON, no database',
        server: await startServer('servers/declared.mjs'),
        request: { path: '/api/v1/specimens/0b0e5f8e-3c1d-4f6a-9d57-2f6f4c1c7a10?page=2' },
        references: [{ kind: 'same-bytes', atLeast: 0.6 }],
      },
      {
        label: 'GET /healthz',
        request: { path: '/healthz' },
        references: [{ kind: 'same-bytes' }],
      },
      {
        label: 'GET /api/profile/handle-availability',
        request: { path: '/api/profile/handle-availability?handle=ada_lovelace' },
        references: [
          { kind: 'same-bytes' },
          { kind: 'same-sql', statements: [{ text: handleInUse, values: ['ada_lovelace'] }] },
        ],
      },
      {
        label: 'GET /openapi.json',
        request: { path: '/openapi.json' },
        references: [{ kind: 'same-bytes' }],
      },
    ]
  },
}
