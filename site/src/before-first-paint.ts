// Runs before the first paint, so that nothing flickers: marks that scripts are enabled, sets the chosen theme, and
// reserves space for what only signed-in users or administrators see.
const { dataset } = document.documentElement
dataset.script = ''
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') dataset.theme = theme
if (localStorage.getItem('signed-in')) dataset.signedIn = ''
if (localStorage.getItem('admin')) dataset.admin = ''
