/** The path of one of this service's URLs. The service may be reachable at two origins; a path works at both. */
export const pathOf = (url: string): string => (url.startsWith('/') ? url : new URL(url).pathname)
