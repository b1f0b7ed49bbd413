import { genesisHashes } from '@pennypost/nano/genesis'

// The genesis block of the `dev` network that real Nano nodes have for development. Its key is public, for testing.

export const genesisSecretKey = '34F0A37AAD20F4A260F0A5B3CB3D7FB50673212263E58A380BC10474BB039CE4'
export const genesisAccount = 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo'
export const genesisHash = genesisHashes.dev

/** The only block that is not a state block. It uses an older format. */
export const genesisBlock = {
  type: 'open',
  source: 'B0311EA55708D6A53C75CDBF88300259C6D018522FE3D4D0A242E431F9E8B6D0',
  representative: genesisAccount,
  account: genesisAccount,
  signature:
    'ECDA914373A2F0CA1296475BAEE40500A7F0A7AD72A5A80C81D7FAB7F6C802B2CC7DB50F5DD0FB25B2EF11761FA7344A158DD5A700B21BD47DE5BD0F63153A02',
  work: '7b42a00ee91d5810',
} as const
