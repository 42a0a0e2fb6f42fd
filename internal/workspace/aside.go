package workspace

// AsidePrefix begins the names of snapshots ("SESSION/aside-1") of files that were put aside.
const AsidePrefix = "aside-"
