// Before the first paint: that there is a script at all, the colours somebody chose, and whether to keep a place for them in the bar.
const { dataset } = document.documentElement
dataset.script = ''
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') dataset.theme = theme
if (localStorage.getItem('signed-in')) dataset.signedIn = ''
