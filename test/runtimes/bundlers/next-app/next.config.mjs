// Webpack and Turbopack each build into a folder of their own.
export default { distDir: process.env.DIST_FOLDER };
