// Before the first paint: the colours somebody chose, and whether to keep a place for them in the bar.
const { dataset } = document.documentElement
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') dataset.theme = theme
if (localStorage.getItem('signed-in')) dataset.signedIn = ''
