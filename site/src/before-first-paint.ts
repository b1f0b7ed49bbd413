// Runs before the first paint, so that nothing flickers: marks that scripts run, sets the chosen theme, and reserves the
// place of what only signed-in users or administrators see.
const { dataset } = document.documentElement
dataset.script = ''
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') dataset.theme = theme
if (localStorage.getItem('signed-in')) dataset.signedIn = ''
if (localStorage.getItem('admin')) dataset.admin = ''
