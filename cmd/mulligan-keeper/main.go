// Command mulligan-keeper is the keeper of mulligan's children. mulligan starts it, if it is in mulligan's folder.
package main

import "mulligan/internal/process"

func main() { process.KeeperMain() }
