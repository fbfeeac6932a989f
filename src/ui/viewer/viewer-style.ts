/** The viewer in the sandbox's colours, and our marks in its texts. */
export const viewerStyle = `
body { margin: 0; }
`
