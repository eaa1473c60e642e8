// Signing out forgets what this tab kept: keys shown once, chosen rows.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-signs-out]")) return;
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("engram.")) sessionStorage.removeItem(key);
});
