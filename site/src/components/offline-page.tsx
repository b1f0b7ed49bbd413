/** The page that an installed app shows without a connection. Its link leads to the requested page. */
export const OfflinePage = () => (
  <main id="main" class="app narrow">
    <h1>You're offline</h1>
    <p class="lead">This page needs a connection. Check your network, then try again.</p>
    <p>
      {/* biome-ignore lint/a11y/useValidAnchor: an empty URL is this page's own, so it loads what was asked for. */}
      <a class="button" href="">
        Try again
      </a>
    </p>
  </main>
)
